-- Members of a sorted set that were used: each that is there gets its score, and items on a list of its own.
--
-- Asking for all members and setting all scores is one command each, and nothing is said twice: that is why this is not a batch.
--
-- KEYS: the set, then the list of each that brings items. ARGV: how many items a list keeps; then each: member, score, when the
-- list ends, how many items, the items.
local KEYS, ARGV = KEYS, ARGV
local keep, last = tonumber(ARGV[1]), #ARGV
local members, at = {}, 2
while at <= last do
  members[#members + 1] = ARGV[at]
  at = at + 4 + tonumber(ARGV[at + 3])
end
local there = redis.pcall('ZMSCORE', KEYS[1], unpack(members))
if there.err then
  if string.find(there.err, 'WRONGTYPE') then return { 'shape', 1 } end
  return redis.error_reply(there.err)
end

-- A list of another shape ends it; what came before has happened.
local function push(list, first, count, deadline)
  local kind = redis.call('TYPE', list).ok
  if kind ~= 'none' and kind ~= 'list' then return false end
  local length
  for n = first, first + count - 1 do
    local item = ARGV[n]
    -- The new one first: a list that is empty in between would lose its deadline.
    local twins = kind == 'list' and #redis.call('LPOS', list, item, 'COUNT', 0) or 0
    length = redis.call('RPUSH', list, item)
    if twins > 0 then length = length - redis.call('LREM', list, twins, item) end
    kind = 'list'
  end
  if keep == 0 then
    redis.call('DEL', list)
  elseif length > keep then
    redis.call('LTRIM', list, -keep, -1)
  end
  if deadline ~= '' then redis.call('PEXPIREAT', list, deadline) else redis.call('PERSIST', list) end
  return true
end

local scores, said, list, answer = {}, {}, 1, nil
at = 2
for n = 1, #members do
  local count = tonumber(ARGV[at + 3])
  if count > 0 then list = list + 1 end
  said[n] = there[n] and '1' or '0'
  if there[n] then
    if count > 0 and not push(KEYS[list], at + 4, count, ARGV[at + 2]) then
      answer = { 'shape', list }
      break
    end
    scores[#scores + 1] = ARGV[at + 1]
    scores[#scores + 1] = members[n]
  end
  at = at + 4 + count
end
if #scores > 0 then redis.call('ZADD', KEYS[1], unpack(scores)) end
return answer or { 'used', table.concat(said) }
