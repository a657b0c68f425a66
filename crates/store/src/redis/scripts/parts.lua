-- Lua hands over a few thousand values at once and no more.
local function in_parts(command, key, from, count)
  for part = from, from + count - 1, 4000 do
    redis.call(command, key, unpack(ARGV, part, math.min(part + 3999, from + count - 1)))
  end
end
