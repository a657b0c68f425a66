-- Takes a node's word of who is here through it, forgets the words of nodes that fell silent, and tells the others' words.
--
-- KEYS: the spine, who is here. ARGV: node, its word, how long it holds, channel, hint, publish.
local here = KEYS[2]
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local others, before, lapses = {}, '', nil
local words = redis.call('HGETALL', here)
for place = 1, #words, 2 do
  local till, word = string.match(words[place + 1], '^(%d+) (.*)$')
  if not till or tonumber(till) <= now then
    redis.call('HDEL', here, words[place])
  elseif words[place] == ARGV[1] then
    before = word
  else
    others[#others + 1] = word
    lapses = math.min(lapses or tonumber(till), tonumber(till))
  end
end
if ARGV[2] == '' then
  redis.call('HDEL', here, ARGV[1])
else
  redis.call('HSET', here, ARGV[1], string.format('%.0f ', now + tonumber(ARGV[3])) .. ARGV[2])
  redis.call('PEXPIRE', here, ARGV[3])
end
if before ~= ARGV[2] then redis.call(ARGV[6], ARGV[4], ARGV[5]) end
local id, mark = last_of(KEYS[1])
return { id or '', mark or '', others, lapses and lapses - now or -1 }
