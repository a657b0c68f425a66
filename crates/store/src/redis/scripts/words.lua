-- Arguments one after the other, and commands on one of the keys. Another shape than the one asked for ends the script; the
-- place says whose.
local KEYS, ARGV, pcalled = KEYS, ARGV, redis.pcall
local next_arg, place = 1, nil
local function take()
  local value = ARGV[next_arg]
  next_arg = next_arg + 1
  return value
end
local function try(command, ...)
  local answer = pcalled(command, KEYS[place], ...)
  if type(answer) == 'table' and answer.err then
    if string.find(answer.err, 'WRONGTYPE') then error('shape', 0) end
    error(answer.err, 0)
  end
  return answer
end
