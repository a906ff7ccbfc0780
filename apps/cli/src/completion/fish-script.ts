import { type IdKind, idsCommand, type Place } from './command-tree.ts'

/** fish has a rule for each word: when it applies, what it completes, what it means. */
export function fishScript(places: readonly Place[]): string {
  const rules = places.flatMap((place) => {
    const when = `-n ${quoted(conditionOf(place, places))}`
    const verbRules = place.verbs.map(
      ({ name, summary }) => `complete -c bourse -f ${when} -a ${name} -d ${quoted(summary)}`,
    )
    const values = [...place.choices, ...(place.ids ? [quoted(idsOf(place.ids))] : [])]
    const argumentRules = values.map((value) => `complete -c bourse -f ${when} -a ${value}`)
    const flagRules = place.flags.map(({ names, summary, choices, ids, takesValue }) => {
      const switches = names.map((name) =>
        name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
      )
      const files = takesValue ? ' -r' : ''
      const offered = ids ? idsOf(ids) : choices.join(' ')
      const values = offered === '' ? files : ` -xa ${quoted(offered)}`
      return `complete -c bourse ${when} ${switches.join(' ')}${values} -d ${quoted(summary)}`
    })
    return [...verbRules, ...argumentRules, ...flagRules]
  })
  return `# fish completion of bourse; load it with: bourse completion fish | source
${rules.join('\n')}`
}

function conditionOf({ path, verbs }: Place, places: readonly Place[]): string {
  const [, verb, below] = path.split(' ')
  if (verb === undefined) {
    const all = places.find((place) => place.path === 'bourse')?.verbs.map(({ name }) => name) ?? []
    return `not __fish_seen_subcommand_from ${all.join(' ')}`
  }
  const seen = `__fish_seen_subcommand_from ${verb}`
  if (below !== undefined) return `${seen}; and __fish_seen_subcommand_from ${below}`
  if (verbs.length === 0) return seen
  return `${seen}; and not __fish_seen_subcommand_from ${verbs.map(({ name }) => name).join(' ')}`
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

/** fish runs what is in plain brackets. */
function idsOf(kind: IdKind): string {
  return idsCommand('bourse', kind).slice(1)
}
