-- A piece of a record that is too large to come at once, under a name of its own until the room is put.
--
-- KEYS: that name. ARGV: the shape's letter, how many items came before, when it is forgotten, the items.
local key, letter, before = KEYS[1], ARGV[1], tonumber(ARGV[2])
local count = #ARGV - 3
if before == 0 then
  -- An earlier attempt may have left something.
  redis.call('UNLINK', key)
elseif letter == 'l' then
  -- The same piece again, because its answer was lost, must not be there twice.
  local length = redis.call('LLEN', key)
  if length == before + count then return 1 end
  if length ~= before then return 0 end
end
local commands = { h = 'HSET', l = 'RPUSH', z = 'ZADD', s = 'SET' }
in_parts(commands[letter], key, 4, count)
redis.call('PEXPIREAT', key, ARGV[3])
return 1
