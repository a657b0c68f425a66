-- Takes the room away with all its keys, if it is still where the writer thought.
--
-- KEYS: the spine, the list of unnamed records, who is here, the named records. ARGV: id, mark, channel, hint, publish.
local id, mark = last_of(KEYS[1])
if not id then return 'absent' end
if id ~= ARGV[1] or mark ~= ARGV[2] then return 'conflict' end
for _, key in ipairs(redis.call('SMEMBERS', KEYS[2])) do redis.call('UNLINK', key) end
redis.call('UNLINK', unpack(KEYS))
redis.call(ARGV[5], ARGV[3], ARGV[4])
return 'closed'
