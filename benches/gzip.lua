local file = io.open(os.getenv("BODY"), "rb")
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/octet-stream"
wrk.headers["Content-Encoding"] = "gzip"
wrk.headers["Inference-Header-Content-Length"] = os.getenv("COUNT")
wrk.body = file:read("*a")
file:close()
