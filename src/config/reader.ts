import { either as E } from 'fp-ts';
import type { Variable } from './variables.js';

/** The process's environment, or a test's. An empty text counts as unset. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads variables one by one and collects every fault, so that all of them are reported together. */
export class Reader {
  readonly faults: Array<string> = [];
  /** The names of all variables that were asked for, set or not. */
  readonly asked = new Set<string>();
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  optional<A>(name: string, variable: Variable<A>): A | undefined {
    this.asked.add(name);
    const value = this.#environment[name];
    if (value === undefined || value === '') return undefined;
    const decoded = variable(value);
    if (E.isRight(decoded)) return decoded.right;
    this.faults.push(`${name}: expected ${decoded.left}`);
    return undefined;
  }

  has(name: string): boolean {
    return (this.#environment[name] ?? '') !== '';
  }
}
