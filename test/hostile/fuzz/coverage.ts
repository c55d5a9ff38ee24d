import type { Case } from './session.js';
import { addsPart, type Operation } from './operations.js';

/** How often each operation was answered by each status. */
export class Coverage {
  readonly #counts = new Map<string, Map<number, number>>();

  add({ operation: { id }, answer }: Case): void {
    if (answer === undefined) return;
    const counts = this.#counts.get(id) ?? new Map<number, number>();
    counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1);
    this.#counts.set(id, counts);
  }

  count({ id }: Operation, status: number): number {
    return this.#counts.get(id)?.get(status) ?? 0;
  }

  statuses(): ReadonlyArray<number> {
    return [...new Set([...this.#counts.values()].flatMap((counts) => [...counts.keys()]))].sort((a, b) => a - b);
  }
}

/**
 * What no request brings about: there is no limit on the rate, nothing fails, a list or a creation finds nothing
 * missing (the contract names 404 for every operation), what is created has an identifier of its own, no owner becomes as
 * long as it takes a million characters, and nothing is erased. A probe takes nothing that could be wrong; bytes that are no
 * request are in `test/hostile/http.test.ts`.
 */
const isOutOfReach = (operation: Operation, status: number): boolean => {
  const { template, method } = operation;
  return (
    status === 429 ||
    status >= 500 ||
    (status === 400 && ['/livez', '/readyz'].includes(template)) ||
    (status === 409 && !addsPart(operation)) ||
    (status === 404 && ['GET', 'POST'].includes(method) && !template.includes('{'))
  );
};

/** What the document says that an operation may answer, and never did: `createBusiness 413`. */
export const unreached = (operations: ReadonlyArray<Operation>, coverage: Coverage): ReadonlyArray<string> =>
  operations.flatMap((operation) =>
    operation.statuses
      .filter((status) => !isOutOfReach(operation, status) && coverage.count(operation, status) === 0)
      .map((status) => `${operation.id} ${status}`),
  );

/** A line for each operation, a column for each status; what is not documented for it is left blank where it is none. */
export const coverageTable = (operations: ReadonlyArray<Operation>, coverage: Coverage): string => {
  const statuses = coverage.statuses();
  const rows = operations.map((operation) => [
    operation.id,
    ...statuses.map((status) => {
      const count = coverage.count(operation, status);
      return count > 0 || operation.statuses.includes(status) ? String(count) : '';
    }),
  ]);
  const table = [['operation', ...statuses.map(String)], ...rows];
  const widths = ['', ...statuses].map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  '),
    )
    .join('\n');
};
