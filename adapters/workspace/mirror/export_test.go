package mirror

// SetUser makes the store believe that this process runs as another user.
func SetUser(s *Store, uid int) { s.uid = uid }

// LockForTest holds a lock as another process would.
func LockForTest(path string) (release func(), err error) {
	held, err := tryLock(path)
	if err != nil {
		return nil, err
	}
	return held.release, nil
}
