/** A process that lives one life after the other, as it is told. Its argument is a Postgres, where a life needs one. */
import { simulate } from '../simulate.js';
import { openStores } from '../stores/open-stores.js';
import type { Lived, OneLife } from './one-life.js';

const stores = openStores(process.argv[2]);

const tell = (lived: Lived, onTold = (): void => undefined): void => {
  process.send?.(lived, undefined, undefined, onTold);
};

process.on('message', (life: OneLife) => {
  void stores
    .of(life.store ?? 'memory')
    .then((makeStore) => simulate(life.seed, life, makeStore))
    .then(({ broken, counts }) => {
      tell({ broken, counts });
    });
});

process.on('disconnect', () => void stores.close());

// a service would end by it, too
process.on('uncaughtException', (error) => {
  tell({ broken: [`an error that nobody caught: ${error.message}`], counts: {} }, () => process.exit(1));
});
