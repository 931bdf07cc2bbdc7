/** Scripts by which a shell completes the commands and flags of this program. */
import type { Command } from "../command/options.ts"
import { unusable } from "../command/Context.ts"

const program = "slipway-ci"

/** What may follow each beginning of a command line: the commands, the second words, the flags. */
const wordsOf = (commands: ReadonlyArray<Command>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const after = new Map<string, Set<string>>()
  const add = (before: string, word: string) => void after.set(before, (after.get(before) ?? new Set()).add(word))
  for (const { flags, name } of commands) {
    const [first = "", second] = name.split(" ")
    add("", first)
    if (second !== undefined) add(first, second)
    for (const flag of [...flags, "help"]) add(name, `--${flag}`)
  }
  return new Map(Array.from(after, ([before, words]) => [before, [...words]]))
}

const cases = (commands: ReadonlyArray<Command>): string =>
  Array.from(wordsOf(commands), ([before, words]) => `    "${before}") words="${words.join(" ")}" ;;`).join("\n")

/** A flag may be of a command with one word or two; files complete as without a script. */
const bash = (commands: ReadonlyArray<Command>): string => {
  const groups = new Set(commands.flatMap(({ name }) => (name.includes(" ") ? (name.split(" ")[0] ?? []) : [])))
  return `_slipway_ci() {
  local words="" before=""
  [ "$COMP_CWORD" -gt 1 ] && before="\${COMP_WORDS[1]}"
  [ "$COMP_CWORD" -gt 2 ] && case " ${[...groups].join(" ")} " in *" $before "*) before="$before \${COMP_WORDS[2]}" ;; esac
  case "$before" in
${cases(commands)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _slipway_ci ${program}`
}

const fish = (commands: ReadonlyArray<Command>): string =>
  commands
    .flatMap(({ flags, name, summary }) => {
      const [first = "", second] = name.split(" ")
      const seen = [first, ...(second === undefined ? [] : [second])].map(
        (word) => `__fish_seen_subcommand_from ${word}`
      )
      return [
        second === undefined
          ? `complete -c ${program} -n __fish_use_subcommand -a ${first} -d ${JSON.stringify(summary)}`
          : `complete -c ${program} -n __fish_use_subcommand -a ${first}\ncomplete -c ${program} -n "__fish_seen_subcommand_from ${first}" -a ${second} -d ${JSON.stringify(summary)}`,
        ...flags.map((flag) => `complete -c ${program} -n "${seen.join("; and ")}" -l ${flag}`)
      ]
    })
    .join("\n")

/** The script for a shell. */
export const completionOf = (shell: string | undefined, commands: ReadonlyArray<Command>): string => {
  if (shell === "bash") return bash(commands)
  if (shell === "zsh") return `autoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`
  if (shell === "fish") return fish(commands)
  throw unusable("completion needs a shell: bash, zsh or fish.")
}
