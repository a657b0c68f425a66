-- The commits from a place on, that one included; nil when there is no room.
if redis.call('EXISTS', KEYS[1]) == 0 then return nil end
return redis.call('XRANGE', KEYS[1], ARGV[1], '+')
