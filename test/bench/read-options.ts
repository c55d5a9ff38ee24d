import { parseArgs, type ParseArgsConfig } from 'node:util';
import { note } from './report.js';

type Options = NonNullable<ParseArgsConfig['options']>;

const REFUSED = [
  'ERR_PARSE_ARGS_UNKNOWN_OPTION',
  'ERR_PARSE_ARGS_INVALID_OPTION_VALUE',
  'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL',
];

const isRefusal = (cause: unknown): cause is Error =>
  cause instanceof Error && 'code' in cause && REFUSED.includes(String(cause.code));

/**
 * Reads the options of this process, which is a measuring command. One that is not known, or has a wrong form, ends the
 * process with 1, and with one line that names it and the options there are.
 */
export const readOptions = <O extends Options>(options: O) => {
  try {
    return parseArgs({ options }).values;
  } catch (cause) {
    if (!isRefusal(cause)) throw cause;
    const names = Object.entries(options).map(([name, { type }]) => (type === 'string' ? `--${name} …` : `--${name}`));
    // the first sentence of Node says what is wrong; what follows it does not fit every command
    note(`${cause.message.split('. ')[0]?.split('\n')[0]}. Options: ${names.join(', ')}`);
    return process.exit(1);
  }
};
