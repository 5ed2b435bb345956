wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '{"inputs":[{"name":"x","datatype":"FP32","shape":[1,4],"data":[1.0,2.0,3.0,4.0]}]}'
local name, value = (os.getenv("HEADER") or ""):match("^(%S+): (.*)$")
if name then wrk.headers[name] = value end
