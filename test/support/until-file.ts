import { readFileSync, watch } from 'node:fs';
import path from 'node:path';
import { makeNews } from './news.js';

const textOf = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
};

/** What is in a file, as soon as that satisfies; undefined: there is no such file. Its directory must be there. */
export const untilFile = async (
  file: string,
  satisfies: (text: string | undefined) => boolean,
): Promise<string | undefined> => {
  const news = makeNews();
  const watcher = watch(path.dirname(file), news.tell);
  try {
    await news.until(() => satisfies(textOf(file)));
    return textOf(file);
  } finally {
    watcher.close();
  }
};
