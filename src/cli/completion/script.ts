import type { Place } from './places.js';

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const wordsOf = (offers: ReadonlyArray<{ readonly word: string }>): ReadonlyArray<string> =>
  offers.map(({ word }) => word);

/** Each step from a place to one below it, as `place word`. */
const steps = (places: ReadonlyArray<Place>): ReadonlyArray<string> =>
  places.flatMap(({ path, commands }) => commands.map(({ word }) => `${path} ${word}`));

/** A branch of `case` that says what is offered; nothing where that is nothing. */
const branch = (pattern: string, offers: ReadonlyArray<string>, any: boolean): ReadonlyArray<string> => {
  const assignments = [...(offers.length > 0 ? [`offers=${quoted(offers.join(' '))}`] : []), ...(any ? ['any=1'] : [])];
  return assignments.length === 0 ? [] : [`    ${pattern}) ${assignments.join(' ')} ;;`];
};

const valueBranches = ({ path, options }: Place): ReadonlyArray<string> =>
  options
    .filter(({ takesValue }) => takesValue)
    .flatMap(({ word, choices }) => branch(quoted(`${path} ${word}`), choices, choices.length === 0));

const optionBranches = ({ path, options }: Place): ReadonlyArray<string> =>
  branch(`${quoted(`${path}/-`)}*`, wordsOf(options), false);

const wordBranches = ({ path, commands, choices, takesAny }: Place): ReadonlyArray<string> =>
  branch(`${quoted(`${path}/`)}*`, [...wordsOf(commands), ...choices], takesAny);

/**
 * A function that bash and zsh read alike. It is given the word before the one to complete, that one as far as it is
 * written, and all words before it. It sets `offers`, and `any` where any value is taken.
 */
const offering = (places: ReadonlyArray<Place>): string => `_ops_offers() {
  local previous="$1" current="$2" place='' word
  shift 2
  for word in "$@"; do
    case "$place $word" in
      ${steps(places).map(quoted).join(' | ')})
        place="\${place:+$place }$word" ;;
    esac
  done
  case "$place $previous" in
${places.flatMap(valueBranches).join('\n')}
    *) case "$place/$current" in
${[...places.flatMap(optionBranches), ...places.flatMap(wordBranches)].join('\n')}
    esac ;;
  esac
}`;

/** `=` is a word of its own in bash, so that `--order=asc` is three. A file's name is completed by bash itself. */
const bash = (places: ReadonlyArray<Place>): string => `${offering(places)}
_ops() {
  local previous="\${COMP_WORDS[COMP_CWORD-1]}" current="\${COMP_WORDS[COMP_CWORD]}" offers='' any=''
  if [[ $previous == '=' ]]; then previous="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  if [[ $current == '=' ]]; then current=''; fi
  _ops_offers "$previous" "$current" "\${COMP_WORDS[@]:1:COMP_CWORD-1}"
  COMPREPLY=($(compgen -W "$offers" -- "$current"))
  if [[ -z $any ]]; then compopt +o default 2>/dev/null; fi
}
complete -o default -F _ops ops`;

const zsh = (places: ReadonlyArray<Place>): string => `
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
${offering(places)}
_ops() {
  local previous="\${words[CURRENT-1]}" current="\${words[CURRENT]}" offers='' any=''
  if [[ $current == --*=* ]]; then
    previous="\${current%%=*}" current="\${current#*=}"
    compset -P '*='
  fi
  _ops_offers "$previous" "$current" "\${(@)words[2,CURRENT-1]}"
  compadd -- \${=offers}
  if [[ -n $any ]]; then _files; fi
}
compdef _ops ops`;

const fishQuoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const fishLine = (path: string, what: string, description?: string): string =>
  `complete -c ops -n ${fishQuoted(`_ops_at ${fishQuoted(path)}`)} ${what}` +
  (description === undefined ? '' : ` -d ${fishQuoted(description)}`);

const fishPlace = ({ path, commands, choices, takesAny, options }: Place): ReadonlyArray<string> => [
  ...commands.map(({ word, description }) => fishLine(path, `-a ${fishQuoted(word)}`, description)),
  ...choices.map((choice) => fishLine(path, `-a ${fishQuoted(choice)}`)),
  ...(takesAny ? [fishLine(path, '-F')] : []),
  ...options.map(({ word, description, takesValue, choices: values }) => {
    const value = values.length > 0 ? ` -x -a ${fishQuoted(values.join(' '))}` : ' -r -F';
    return fishLine(path, `-l ${word.slice('--'.length)}${takesValue ? value : ''}`, description);
  }),
];

const fish = (places: ReadonlyArray<Place>): string => `function _ops_at
  set -l place ''
  for word in (commandline -opc)[2..]
    switch "$place $word"
      case ${steps(places).map(fishQuoted).join(' ')}
        set place (string trim -- "$place $word")
    end
  end
  test "$place" = "$argv[1]"
end
complete -c ops -f
${places.flatMap(fishPlace).join('\n')}`;

const scripts = { bash, zsh, fish } as const;

export type Shell = keyof typeof scripts;

/** The script by which a shell completes the command `ops`, whatever runs under that name: a program or a function. */
export const completionScript = (shell: Shell, places: ReadonlyArray<Place>): string => scripts[shell](places);
