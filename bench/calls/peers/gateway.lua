-- Keeps a limit and a counter for each key. The counters are reset each month.
local gateway = {}

local limits, calls = ngx.shared.limits, ngx.shared.calls

local policy, period_end

-- Each line of the file contains a key and its limit.
function gateway.load(file)
  for line in io.lines(file) do
    local key, limit = line:match("^(%S+) (%d+)$")
    limits:set(key, tonumber(limit))
  end
  local now = os.date("!*t")
  local first = os.time({ year = now.year, month = now.month, day = 1, hour = 0 })
  period_end = os.time({ year = now.year, month = now.month + 1, day = 1, hour = 0 })
  policy = ";w=" .. (period_end - first)
end

function gateway.admit()
  local key = ngx.var.http_x_api_key
  local limit = key and limits:get(key)
  if not limit then
    return ngx.exit(ngx.HTTP_UNAUTHORIZED)
  end
  local used = calls:incr(key, 1, 0, period_end - ngx.time())
  if used > limit then
    return ngx.exit(ngx.HTTP_TOO_MANY_REQUESTS)
  end
  ngx.ctx.limit, ngx.ctx.left = limit, limit - used
end

function gateway.set_headers()
  local ctx = ngx.ctx
  if ctx.left then
    ngx.header["RateLimit-Policy"] = '"plan";q=' .. ctx.limit .. policy
    ngx.header["RateLimit"] = '"plan";r=' .. ctx.left .. ";t=" .. (period_end - ngx.time())
  end
end

return gateway
