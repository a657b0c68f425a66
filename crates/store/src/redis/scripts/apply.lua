-- Batches, each for itself: conditions that must all hold, then operations that all happen; or nothing happens.
--
-- KEYS: where the answer is kept for a while in case it gets lost on its way, then the records.
-- ARGV: for how long (0: not at all), whether nobody wants to know what the operations answer. Then each batch: how many
-- arguments it has, whether a failure must be undone, how many shapes and numbers to look at first; those, each a place in KEYS
-- and a shape, or a place and a field; how many conditions; then conditions and operations, each a letter, a place in KEYS
-- and its values.
local once, keep_for, quiet = KEYS[1], tonumber(take()), take() == '1'
if keep_for > 0 then
  local answered = redis.call('GET', once)
  if answered then return cmsgpack.unpack(answered) end
end

local function bounded(number, low, high)
  return math.max(math.min(number, high), low)
end

local holds = {
  a = function() return redis.call('EXISTS', KEYS[place]) == 0 end,
  p = function() return redis.call('EXISTS', KEYS[place]) == 1 end,
  -- A text and a document that hold the same are written differently: either will do.
  h = function()
    local as_text, as_document = take(), take()
    local is = try('GET')
    return is == as_text or is == as_document
  end,
  A = function() return try('HEXISTS', take()) == 0 end,
  P = function() return try('HEXISTS', take()) == 1 end,
  H = function()
    local field, value = take(), take()
    return try('HGET', field) == value
  end,
  m = function()
    local member, most = take(), take()
    local score = try('ZSCORE', member)
    return score and tonumber(score) <= tonumber(most)
  end,
  e = function()
    local member, exactly = take(), take()
    local score = try('ZSCORE', member)
    return score and tonumber(score) == tonumber(exactly)
  end,
  n = function() return not try('ZSCORE', take()) end,
  c = function()
    local kind, most = redis.call('TYPE', KEYS[place]).ok, tonumber(take())
    if kind == 'none' then return 0 < most end
    local count = ({ hash = 'HLEN', list = 'LLEN', zset = 'ZCARD' })[kind]
    if not count then error('shape', 0) end
    return try(count) < most
  end,
}

local function is_whole(text)
  return string.match(text, '^[+-]?%d+$') and #text <= 20
end

-- Shapes that were looked at and stay as long as nothing is put or dropped: many batches touch the same few keys.
local known = {}

-- What would fail in the middle fails here, before anything is changed.
local function look(at, shape_count, number_count)
  for n = 1, shape_count + number_count do
    place = tonumber(ARGV[at])
    if n <= shape_count then
      local wanted = ARGV[at + 1]
      if known[place] ~= wanted then
        local kind = redis.call('TYPE', KEYS[place]).ok
        if kind ~= 'none' and kind ~= wanted then error('shape', 0) end
        known[place] = wanted
      end
    elseif not is_whole(try('HGET', ARGV[at + 1]) or '0') then
      error('shape', 0)
    end
    at = at + 2
  end
end

local function put(command)
  local deadline, count = take(), tonumber(take())
  redis.call('DEL', KEYS[place])
  in_parts(command, KEYS[place], next_arg, count)
  next_arg = next_arg + count
  if deadline ~= '' then redis.call('PEXPIREAT', KEYS[place], deadline) end
  return 1
end

local operations = {
  s = function()
    local deadline, value = take(), take()
    redis.call('SET', KEYS[place], value)
    if deadline ~= '' then redis.call('PEXPIREAT', KEYS[place], deadline) end
    return 1
  end,
  h = function() return put('HSET') end,
  l = function() return put('RPUSH') end,
  z = function() return put('ZADD') end,
  d = function() return redis.call('DEL', KEYS[place]) end,
  r = function()
    local deadline = take()
    if deadline ~= '' then return redis.call('PEXPIREAT', KEYS[place], deadline) end
    redis.call('PERSIST', KEYS[place])
    return redis.call('EXISTS', KEYS[place])
  end,
  f = function()
    local field, value = take(), take()
    return 1 - try('HSET', field, value)
  end,
  x = function() return try('HDEL', take()) end,
  i = function()
    local field, by, low, high, drop_at = take(), tonumber(take()), tonumber(take()), tonumber(take()), take()
    local was = try('HGET', field) or '0'
    if not is_whole(was) then error('shape', 0) end
    local is = string.format('%.0f', bounded(tonumber(was) + by, low, high))
    if is == '-0' then is = '0' end
    if is == drop_at then try('HDEL', field) else try('HSET', field, is) end
    return is
  end,
  u = function()
    local item, unique, keep = take(), take() == '1', tonumber(take())
    -- The new one first: a list that is empty in between would lose its deadline.
    local twins = unique and #try('LPOS', item, 'COUNT', 0) or 0
    local left = try('RPUSH', item)
    if twins > 0 then left = left - try('LREM', twins, item) end
    if keep == 0 then redis.call('DEL', KEYS[place]) elseif left > keep then try('LTRIM', -keep, -1) end
    return math.min(left, keep)
  end,
  c = function()
    local member, score = take(), take()
    local was = not quiet and try('ZSCORE', member) and 1 or 0
    try('ZADD', score, member)
    return was
  end,
  q = function()
    local member, by = take(), tonumber(take())
    local is = tonumber(try('ZSCORE', member) or '0') + by
    if is ~= is then error('shape', 0) end
    is = is == 0 and '0' or string.format('%.17g', is)
    try('ZADD', is, member)
    return is
  end,
  w = function() return try('ZREM', take()) end,
  k = function()
    local keep = tonumber(take())
    local count = try('ZCARD')
    try('ZREMRANGEBYRANK', keep, -1)
    return math.min(count, keep)
  end,
  g = function()
    local by = tonumber(take())
    local members = try('ZRANGE', 0, -1, 'WITHSCORES')
    local scaled = {}
    for n = 1, #members, 2 do
      local is = tonumber(members[n + 1]) * by
      if is ~= is then error('shape', 0) end
      scaled[#scaled + 1] = is == 0 and '0' or string.format('%.17g', is)
      scaled[#scaled + 1] = members[n]
    end
    for part = 1, #scaled, 4000 do
      redis.call('ZADD', KEYS[place], unpack(scaled, part, math.min(part + 3999, #scaled)))
    end
    return 1
  end,
}

-- What each key held before it was first touched, kept only where a later operation could still fail.
local undoes, saved, order
local function save()
  if saved[place] ~= nil then return end
  saved[place] = { redis.call('DUMP', KEYS[place]), redis.call('PEXPIRETIME', KEYS[place]) }
  order[#order + 1] = place
end
local function undo()
  for _, touched in ipairs(order) do
    redis.call('DEL', KEYS[touched])
    local dump, deadline = saved[touched][1], saved[touched][2]
    if dump then redis.call('RESTORE', KEYS[touched], deadline > 0 and deadline or 0, dump, 'ABSTTL') end
  end
end

local DONE = { 'done' }
local puts = { s = true, h = true, l = true, z = true, d = true }
local function run(last)
  local shape_count, number_count = tonumber(take()), tonumber(take())
  local first_look = next_arg
  next_arg = next_arg + 2 * (shape_count + number_count)
  -- What is not looked at could become anything.
  if shape_count == 0 then known = {} end
  for n = 1, tonumber(take()) do
    local letter = take()
    place = tonumber(take())
    if not holds[letter]() then return { 'refused', n - 1 } end
  end
  look(first_look, shape_count, number_count)
  local replies = quiet and DONE or { 'done' }
  while next_arg <= last do
    local letter = take()
    place = tonumber(take())
    if undoes then save() end
    if puts[letter] then known = {} end
    local reply = operations[letter]()
    if not quiet then replies[#replies + 1] = reply end
  end
  return replies
end

local answers = {}
while next_arg <= #ARGV do
  local count = tonumber(take())
  local last = next_arg + count - 1
  undoes = take() == '1'
  if undoes then saved, order = {}, {} end
  local went, answer = pcall(run, last)
  if not went then
    if undoes then undo() end
    if type(answer) == 'table' then answer = answer.err or 'an error without words' end
    if answer ~= 'shape' then return redis.error_reply(answer) end
    answer = { 'shape', place }
  end
  answers[#answers + 1] = answer
  if answer[1] == 'shape' then break end
  next_arg = last + 1
end
if keep_for > 0 and answers[1][1] == 'done' then redis.call('SET', once, cmsgpack.pack(answers), 'PX', keep_for) end
return answers
