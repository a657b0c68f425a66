-- Answers to all queries from one moment. KEYS: the records. ARGV: queries, each a letter, a place in KEYS and its values.
local counts = { hash = 'HLEN', list = 'LLEN', zset = 'ZCARD' }
local queries = {
  w = function()
    local kind = redis.call('TYPE', KEYS[place]).ok
    if kind == 'string' then return { kind, try('GET') } end
    if kind == 'hash' then return { kind, try('HGETALL') } end
    if kind == 'list' then return { kind, try('LRANGE', 0, -1) } end
    if kind == 'zset' then return { kind, try('ZRANGE', 0, -1, 'WITHSCORES') } end
    if kind == 'none' then return false end
    error('shape', 0)
  end,
  f = function() return try('HGET', take()) end,
  c = function()
    local kind = redis.call('TYPE', KEYS[place]).ok
    if kind == 'none' then return 0 end
    if not counts[kind] then error('shape', 0) end
    return try(counts[kind])
  end,
  s = function() return try('ZSCORE', take()) end,
  r = function() return try('ZRANK', take()) end,
  l = function()
    local skip, take_count = tonumber(take()), tonumber(take())
    if take_count == 0 then try('ZCARD') return {} end
    return try('ZRANGE', skip, skip + take_count - 1, 'WITHSCORES')
  end,
  d = function() return redis.call('PEXPIRETIME', KEYS[place]) end,
}
local function run()
  local answers = { 'read' }
  while next_arg <= #ARGV do
    local letter = take()
    place = tonumber(take())
    answers[#answers + 1] = queries[letter]()
  end
  return answers
end
local went, answers = pcall(run)
if went then return answers end
if type(answers) == 'table' then answers = answers.err or 'an error without words' end
if answers ~= 'shape' then return redis.error_reply(answers) end
return { 'shape', place }
