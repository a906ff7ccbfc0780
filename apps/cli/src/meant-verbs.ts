/** Verbs that begin with what was typed, or differ from it in a letter or two. */
export function meantVerbs(written: string, names: readonly string[]): readonly string[] {
  const begun = names.filter((name) => written.length > 1 && name.startsWith(written))
  return begun.length > 0 ? begun : names.filter((name) => isTypo(written, name))
}

/** Typing errors are in the middle of a word. A far-fetched guess is worse than none. */
function isTypo(written: string, name: string): boolean {
  const longest = Math.max(written.length, name.length)
  const before = alikeFromStart([...written], [...name])
  const after = alikeFromStart([...written].reverse(), [...name].reverse())
  return before > 0 && before + after >= Math.max(2, longest - 2)
}

function alikeFromStart(one: readonly string[], other: readonly string[]): number {
  const different = one.findIndex((letter, at) => letter !== other[at])
  return different === -1 ? one.length : different
}
