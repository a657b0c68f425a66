-- The room's last commit: its id and the two fields that every entry ends with, what it counts for and its mark.
local function last_of(spine)
  local found = redis.call('XREVRANGE', spine, '+', '-', 'COUNT', 1)[1]
  if not found then return nil end
  local fields = found[2]
  return found[1], fields[#fields], tonumber(fields[#fields - 2])
end
