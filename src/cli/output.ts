import { Option } from 'commander';

/** Standard output is what was asked for, for a person or a script; how it goes is told on standard error (`tell`). */
export const print = (text: string): void => void process.stdout.write(`${text}\n`);

export type JsonOption = { readonly json?: true };

/** `--json`. `shape`: what then comes on standard output, and nothing else; docs/ops-json.md has the members. */
export const jsonOption = (shape: string): Option => new Option('--json', shape);

/** One finding, as a person or as a machine reads it: an object is one line. */
export const printFinding = ({ json }: JsonOption, text: string, object: object): void =>
  print(json === true ? JSON.stringify(object) : text);
