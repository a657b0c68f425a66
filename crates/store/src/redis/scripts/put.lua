-- A whole room as another store had it, shown at once or not at all.
--
-- KEYS: the spine, the list of unnamed records, the named records, the unnamed ones, then what was staged.
-- ARGV: see put_room in carrying.rs; the entries, then the records, each a letter, a place in KEYS and what belongs to it.
local spine, unnamed = KEYS[1], KEYS[2]
local id, mark, deadline, over = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local channel, hint, publish = ARGV[5], ARGV[6], ARGV[7]
local named_count, own_count, entry_count = tonumber(ARGV[8]), tonumber(ARGV[9]), tonumber(ARGV[10])
next_arg = 11

if deadline ~= '' then
  local now = redis.call('TIME')
  if tonumber(deadline) <= tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000) then return 'ended' end
end
local kind = redis.call('TYPE', spine).ok
if kind == 'stream' then
  local stands, stands_mark = last_of(spine)
  local ends = deadline == '' and -1 or tonumber(deadline)
  if stands == id and stands_mark == mark and redis.call('PEXPIRETIME', spine) == ends then return 'same' end
  if stands and over ~= '*' and over ~= stands .. ' ' .. stands_mark then return 'other' end
elseif kind ~= 'none' and over ~= '*' then
  return 'other'
end

local entries = {}
for n = 1, entry_count do
  local entry = { id = take(), mark = take(), size = tonumber(take()), field_count = tonumber(take()) }
  entry.from = next_arg
  next_arg = next_arg + 2 * entry.field_count
  entries[n] = entry
end
local first_record = next_arg
for staged = 3 + own_count, #KEYS do
  if redis.call('EXISTS', KEYS[staged]) == 0 then return 'lost' end
end

if redis.call('TYPE', unnamed).ok == 'set' then
  for _, key in ipairs(redis.call('SMEMBERS', unnamed)) do redis.call('UNLINK', key) end
end
for own = 1, 2 + own_count do redis.call('UNLINK', KEYS[own]) end

local function until_deadline(key)
  if deadline == '' then redis.call('PERSIST', key) else redis.call('PEXPIREAT', key, deadline) end
end
local collections = { h = 'HSET', l = 'RPUSH', z = 'ZADD' }
next_arg = first_record
while next_arg <= #ARGV do
  local letter = take()
  place = tonumber(take())
  local key = KEYS[place]
  if letter == 's' then
    redis.call('SET', key, take())
  elseif letter == 'r' then
    redis.call('RENAME', KEYS[tonumber(take())], key)
  else
    local count = tonumber(take())
    in_parts(collections[letter], key, next_arg, count)
    next_arg = next_arg + count
  end
  if place > 2 + named_count then redis.call('SADD', unnamed, key) end
  until_deadline(key)
end

local total = 0
for _, entry in ipairs(entries) do
  total = total + entry.size
  local fields = { entry.id }
  for field = entry.from, entry.from + 2 * entry.field_count - 1 do fields[#fields + 1] = ARGV[field] end
  fields[#fields + 1] = 'bytes'
  fields[#fields + 1] = string.format('%.0f', total)
  fields[#fields + 1] = 'mark'
  fields[#fields + 1] = entry.mark
  redis.call('XADD', spine, unpack(fields))
end
until_deadline(spine)
until_deadline(unnamed)
redis.call(publish, channel, hint .. id .. ' ' .. mark)
return 'kept'
