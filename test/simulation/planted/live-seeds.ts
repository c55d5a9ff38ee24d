/** Lives the seeds that it is told, one by one, and tells which promises of each were not kept. Begun by `begin-lives.ts`. */
import { simulate } from '../simulate.js';

process.on('message', (seed: number) => {
  simulate(seed).then(
    ({ broken }) => process.send?.(broken),
    (error: unknown) => process.send?.([`the life broke off: ${String(error)}`]),
  );
});
// whom it would tell is gone
process.on('disconnect', () => process.exit());
