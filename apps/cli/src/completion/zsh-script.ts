import { deeperPaths, idsCommand, type Place, valueCases } from './command-tree.ts'

const PROGRAM = '"$words[1]"'

/** The same walk as for bash, with a summary beside each word. */
export function zshScript(places: readonly Place[]): string {
  const entries = places.map(({ path, verbs, flags, choices, ids }) => {
    const described = [
      ...verbs.map(({ name, summary }) => entry(name, summary)),
      ...choices,
      ...flags.flatMap(({ names, summary }) => names.map((name) => entry(name, summary))),
    ]
    // Only where no flag has been begun: asking a broker takes a moment.
    const asked = ids
      ? `; [[ $words[CURRENT] == -* ]] || entries+=(${idsCommand(PROGRAM, ids)})`
      : ''
    return `    "${path}") entries=(${described.join(' ')})${asked} ;;`
  })
  // A flag with any value has no entries, and the files are offered below.
  const values = valueCases(places, PROGRAM, (choices) => `entries=(${choices})`)
  return `#compdef bourse
# zsh completion of bourse; load it with: source <(bourse completion zsh)
_bourse() {
  local path_so_far=bourse word
  local -a entries
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$path_so_far $word" in
      ${deeperPaths(places)}) path_so_far="$path_so_far $word" ;;
    esac
  done
  case "$path_so_far" in
${entries.join('\n')}
  esac
  case "$path_so_far \${words[CURRENT-1]}" in
${values}
  esac
  _describe 'bourse' entries || _files
}
compdef _bourse bourse`
}

/** zsh splits name and summary at the first colon that is not escaped. */
function entry(name: string, summary: string): string {
  const text = summary === '' ? name : `${name}:${summary.replaceAll(':', '\\:')}`
  return `'${text.replaceAll("'", "'\\''")}'`
}
