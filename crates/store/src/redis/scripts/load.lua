-- A room as it is now: where it stands, until when it lives, and its records. What is large is left to be read in parts.
--
-- KEYS: the spine, the list of unnamed records, the named records. ARGV: how many items are large.
local id, mark = last_of(KEYS[1])
if not id then return nil end
local large = tonumber(ARGV[1])
local reads = { hash = { 'HLEN', 'HGETALL' }, list = { 'LLEN', 'LRANGE', 0, -1 }, zset = { 'ZCARD', 'ZRANGE', 0, -1, 'WITHSCORES' } }
local room = { id, mark, redis.call('PEXPIRETIME', KEYS[1]) }
local function add(key)
  local kind = redis.call('TYPE', key).ok
  if kind == 'none' then return end
  if kind == 'string' then
    room[#room + 1] = { key, kind, redis.call('GET', key) }
  elseif reads[kind] == nil then
    room[#room + 1] = { key, kind, '' }
  elseif redis.call(reads[kind][1], key) > large then
    room[#room + 1] = { key, 'large ' .. kind }
  else
    local read = reads[kind]
    room[#room + 1] = { key, kind, redis.call(read[2], key, unpack(read, 3)) }
  end
end
for place = 3, #KEYS do add(KEYS[place]) end
for _, key in ipairs(redis.call('SMEMBERS', KEYS[2])) do add(key) end
return room
