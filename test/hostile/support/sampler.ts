import type { Figures } from './figures.js';
import { highest } from './figures.js';
import type { Target } from './target.js';

type Sampler = {
  /** The highest of each figure since the sampler was started; ends it. */
  readonly stop: () => Figures;
};

const SAMPLE_MS = 50;

/** Looks at a service every 50 ms; at its heap as often as the service's process answers. */
export const startSampler = ({ held, heap, peak, death }: Target, first: Figures): Sampler => {
  let height = first;
  let isAsking = false;

  const askHeap = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    try {
      const { used, external } = await heap();
      height = highest(height, { heap: used, external });
    } catch {
      // the process has ended, which `death` reports
    } finally {
      isAsking = false;
    }
  };
  const look = (): void => {
    if (death() !== undefined) return;
    try {
      height = highest(height, { ...held(), rss: peak() });
    } catch {
      return; // it has ended this moment
    }
    void askHeap();
  };

  const looking = setInterval(look, SAMPLE_MS);
  return {
    stop: () => {
      look();
      clearInterval(looking);
      return height;
    },
  };
};
