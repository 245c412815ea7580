// This file finds the languages that names of files end in, as index.ja.md does.

package environment

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// iso639 are the two letters of each language in ISO 639-1.
const iso639 = " aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu "

var (
	// wellFormed are codes as settings may have them, such as en, pt-BR, zh_Hans and fil.
	wellFormed = regexp.MustCompile(`^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$`)
	// recognised are codes that a name may end in without settings: a language, a script, a region.
	recognised = regexp.MustCompile(`^[a-z]{2}([-_][A-Za-z]{4})?([-_]([A-Za-z]{2}|[0-9]{3}))?$`)
)

// IsLanguage reports whether a text is the code of a language.
func IsLanguage(code string) bool { return wellFormed.MatchString(code) }

// IsKnownLanguage reports whether a text is the code of a language in ISO 639-1, which a script and a region may follow.
func IsKnownLanguage(code string) bool {
	return recognised.MatchString(code) && strings.Contains(iso639, " "+code[:2]+" ")
}

// CutLanguage cuts the path of a file into the path without its extension and without its language, and the language,
// which is among some languages, or "".
func CutLanguage(file string, among []string) (stem, language string) {
	stem = strings.TrimSuffix(file, path.Ext(file))
	if code, ok := ending(stem); ok && slices.Contains(among, code) {
		return strings.TrimSuffix(stem, "."+code), code
	}
	return stem, ""
}

// ending returns what follows the last dot in the last name of a path, unless nothing is before it.
func ending(stem string) (code string, ok bool) {
	code = strings.TrimPrefix(path.Ext(stem), ".")
	return code, code != "" && path.Base(stem) != "."+code
}

// FindLanguages returns the languages of files, sorted: a file is a translation if the folder has a file of the same name without
// the language, or if isFolder reports that the name without it is the page of the folder.
func FindLanguages(files []string, isFolder func(name string) bool) (all []string) {
	stems := make(map[string]bool, len(files))
	for _, file := range files {
		stems[strings.TrimSuffix(file, path.Ext(file))] = true
	}
	for stem := range stems {
		code, ok := ending(stem)
		if !ok || !IsKnownLanguage(code) || slices.Contains(all, code) {
			continue
		}
		if bare := strings.TrimSuffix(stem, "."+code); stems[bare] || isFolder(path.Base(bare)) {
			all = append(all, code)
		}
	}
	slices.Sort(all)
	return all
}
