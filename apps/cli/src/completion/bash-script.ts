import { deeperPaths, idsCommand, type Place, valueCases } from './command-tree.ts'

/** The first word, as it was typed: `bin/bourse` need not be where a shell finds it. */
const PROGRAM = '"$COMP_WORDS"'

/** Words follow from the path typed so far, values from the flag before them. */
export function bashScript(places: readonly Place[]): string {
  const words = places.map(({ path, verbs, flags, choices, ids }) => {
    const first = [...verbs.map(({ name }) => name), ...choices]
    const all = [...first, ...flags.flatMap(({ names }) => names), '--help']
    // Only where no flag has been begun: asking a broker takes a moment.
    const asked = ids ? `; [[ $current == -* ]] || words+=" ${idsCommand(PROGRAM, ids)}"` : ''
    return `    "${path}") words="${all.join(' ')}"${asked} ;;`
  })
  // A flag with any value has no words, and bash offers its files.
  const values = valueCases(places, PROGRAM, (choices) => `words="${choices}"`)
  return `# bash completion of bourse; load it with: source <(bourse completion bash)
_bourse() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  # bash takes --flag=value for three words.
  if [[ $current == "=" ]]; then current=""
  elif [[ $previous == "=" ]]; then previous="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  local path=bourse words="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
      ${deeperPaths(places)}) path="$path $word" ;;
    esac
  done
  case "$path" in
${words.join('\n')}
  esac
  case "$path $previous" in
${values}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o default -F _bourse bourse`
}
