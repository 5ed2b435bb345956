local count = tonumber(os.getenv("COUNT"))
local header = '{"inputs":[{"name":"INPUT_1","datatype":"FP32","shape":[1,' .. count
  .. '],"parameters":{"binary_data_size":' .. (count * 4)
  .. '}}],"outputs":[{"name":"OUTPUT_1","parameters":{"binary_data":true}}]}'
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/octet-stream"
wrk.headers["Inference-Header-Content-Length"] = tostring(#header)
wrk.body = header .. string.rep("\0", count * 4)
