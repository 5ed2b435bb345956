local count = tonumber(os.getenv("COUNT"))
local numbers = {}
for index = 1, count do
  numbers[index] = string.format("%.6f", math.sin(index))
end
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '{"inputs":[{"name":"INPUT_1","datatype":"FP32","shape":[1,' .. count .. '],"data":['
  .. table.concat(numbers, ",") .. "]}]}"
