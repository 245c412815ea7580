package atcluster

import "time"

// A busy machine is slow: the store of a test has enough time, and is not asked again during the test.
func init() { itemTime, itemPause = time.Minute, time.Hour }
