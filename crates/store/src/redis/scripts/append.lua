-- One commit, whole or not at all: the entry at its position, the records it changes, one deadline for every key of the
-- room, and a hint to the other nodes.
--
-- KEYS: the spine, the list of unnamed records, the named records, then the unnamed ones that are written.
-- ARGV: see append in rooms.rs; the writes come last, each a letter, a place in KEYS and what belongs to it.
local spine, unnamed = KEYS[1], KEYS[2]
local at, at_mark, id, mark, deadline = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local channel, hint, own_ears = ARGV[6], ARGV[7], tonumber(ARGV[8])
local named_count, size, looks = tonumber(ARGV[9]), tonumber(ARGV[10]), ARGV[11]
-- The entry ends with what all entries so far count for, which only the server knows, and its mark.
local first_field, last_field = 13, 12 + tonumber(ARGV[12])
local first_write, arg_count = last_field + 1, #ARGV

local stands, stands_mark, sum = last_of(spine)
if at == '' then
  if stands then
    -- The same commit again: its answer was lost on the way.
    if stands_mark == mark and string.sub(stands, -2) == '-1' then return { 'kept', stands } end
    return { 'conflict' }
  end
elseif stands ~= at or stands_mark ~= at_mark then
  if stands == id and stands_mark == mark then return { 'kept', id } end
  return { 'conflict' }
end

-- Asked before anything is written: who may not ask finds out while there is nothing to undo.
local told = tonumber(redis.call('PUBSUB', NUMSUB, channel)[2]) > own_ears

-- Fields go into hashes only: looked at before anything is written, so that a refused commit changes nothing. A named record
-- has the same shape in every room of its kind, so only the others need a look.
local is_other = {}
local write = #KEYS > 2 + named_count and first_write or arg_count + 1
while write <= arg_count do
  local op, place = ARGV[write], tonumber(ARGV[write + 1])
  if op == 'f' or op == 'x' then
    if is_other[place] == nil and place > 2 + named_count then
      is_other[place] = type(redis.pcall('HLEN', KEYS[place])) == 'table'
    end
    if is_other[place] then return { 'shape', place } end
    write = write + (op == 'f' and 4 or 3)
  elseif op == 'd' then
    is_other[place] = false
    write = write + 2
  elseif op == 's' then
    is_other[place] = true
    write = write + 3
  else
    local count = tonumber(ARGV[write + 2])
    is_other[place] = op ~= 'h' and count > 0
    write = write + 3 + count
  end
end

local born = {}
local collections = { h = 'HSET', l = 'RPUSH', z = 'ZADD' }
write = first_write
while write <= arg_count do
  local op, place = ARGV[write], tonumber(ARGV[write + 1])
  local key = KEYS[place]
  if op == 'f' then
    -- With its first field a hash comes to life; setting the deadline of one that had others does no harm.
    if redis.call('HSET', key, ARGV[write + 2], ARGV[write + 3]) == 1 then born[#born + 1] = key end
    write = write + 4
  elseif op == 'x' then
    redis.call('HDEL', key, ARGV[write + 2])
    write = write + 3
  elseif op == 'd' then
    redis.call('DEL', key)
    write = write + 2
  elseif op == 's' then
    redis.call('SET', key, ARGV[write + 2])
    born[#born + 1] = key
    write = write + 3
  else
    local count = tonumber(ARGV[write + 2])
    redis.call('DEL', key)
    in_parts(collections[op], key, write + 3, count)
    born[#born + 1] = key
    write = write + 3 + count
  end
  if place > 2 + named_count then
    if redis.call('EXISTS', key) == 0 then
      redis.call('SREM', unnamed, key)
    elseif redis.call('SADD', unnamed, key) == 1 then
      born[#born + 1] = unnamed
    end
  end
end

-- Kept in each entry, so that the tail can be cut by bytes without being read.
local total = (sum or 0) + size
ARGV[last_field - 2] = string.format('%.0f', total)
if at == '' then
  redis.call('XADD', spine, id, unpack(ARGV, first_field, last_field))
else
  redis.call('XADD', spine, 'NOMKSTREAM', 'MAXLEN', '~', TAIL_COUNT_MAX, id, unpack(ARGV, first_field, last_field))
end

-- Seldom, or after something large: in between the tail may be longer by a few commits that are not.
if looks == '1' then
  local epoch, seq = string.match(id, '^(%d+)-(%d+)$')
  seq = tonumber(seq)
  local function behind(number)
    local found = redis.call('XRANGE', spine, epoch .. '-' .. number, epoch .. '-' .. number)[1]
    -- What counts more than all bytes together after it is in nobody's tail.
    return total - tonumber(found[2][#found[2] - 2]) >= TAIL_BYTES_MAX
  end
  local oldest = redis.call('XRANGE', spine, '-', '+', 'COUNT', 1)[1][1]
  local low, high = tonumber(string.match(oldest, '-(%d+)$')), seq
  if behind(low) then
    while high - low > 1 do
      local middle = math.floor((low + high) / 2)
      if behind(middle) then low = middle else high = middle end
    end
    redis.call('XTRIM', spine, 'MINID', '=', epoch .. '-' .. high)
  end
end

local function until_deadline(key)
  if deadline == '' then redis.call('PERSIST', key) else redis.call('PEXPIREAT', key, deadline) end
end
-- A deadline that stays is set only on what has just come to life.
local moves = redis.call('PEXPIRETIME', spine) ~= (tonumber(deadline) or -1)
if moves then
  until_deadline(spine)
  for place = 3, 2 + named_count do until_deadline(KEYS[place]) end
  local others = redis.call('SMEMBERS', unnamed)
  if #others > 0 then
    until_deadline(unnamed)
    for _, key in ipairs(others) do until_deadline(key) end
  end
else
  for _, key in ipairs(born) do until_deadline(key) end
end

if told then redis.call(PUBLISH, channel, hint .. id .. ' ' .. mark) end
return { 'kept', id, told and 1 or 0 }
