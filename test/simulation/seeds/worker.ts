/** A process that lives one life after the other, as it is told. */
import { simulate } from '../simulate.js';
import type { Lived, OneLife } from './one-life.js';

const tell = (lived: Lived, onTold = (): void => undefined): void => {
  process.send?.(lived, undefined, undefined, onTold);
};

process.on('message', (life: OneLife) => {
  void simulate(life.seed, life).then(({ broken, counts }) => {
    tell({ broken, counts });
  });
});

// a service would end by it, too
process.on('uncaughtException', (error) => {
  tell({ broken: [`an error that nobody caught: ${error.message}`], counts: {} }, () => process.exit(1));
});
