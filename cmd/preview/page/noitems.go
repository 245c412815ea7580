package page

// NoItems is a Site without items.
type NoItems struct{}

func (NoItems) Item(env, id string) (ItemInfo, bool) { return ItemInfo{}, false }
func (NoItems) Fields(env string) []FieldInfo        { return nil }
func (NoItems) Memory() int64                        { return 0 }
