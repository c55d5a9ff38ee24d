import { GROUP, GROUPS } from './checkpoint-key.js';
import type { CheckpointObjects, FoundObject } from './checkpoint-objects.js';

const nameOf = ({ key }: FoundObject): string => key.slice(key.lastIndexOf('/') + 1);

/** One name has several objects where the storage keeps what was written over. */
const groupedByName = (objects: ReadonlyArray<FoundObject>): ReadonlyMap<string, ReadonlyArray<FoundObject>> => {
  const grouped = new Map<string, Array<FoundObject>>();
  for (const object of objects) {
    const name = nameOf(object);
    const others = grouped.get(name);
    if (others === undefined) grouped.set(name, [object]);
    else others.push(object);
  }
  return grouped;
};

const byNameFromTheLast = (one: string, other: string): number => (one < other ? 1 : -1);

/** Walks folders that are named by sizes. `onMisnamed`: of each key that has no place there. */
export class LargestFirst {
  readonly #list: CheckpointObjects['list'];
  readonly #onMisnamed: (key: string) => void;

  constructor({ list }: Pick<CheckpointObjects, 'list'>, onMisnamed: (key: string) => void) {
    this.#list = list;
    this.#onMisnamed = onMisnamed;
  }

  /** The objects below a folder, those of the largest sizes first and down to that of `from`. Throws the storage's errors. */
  async *below(folder: string, from: ReadonlyArray<string> = [], depth = 1): AsyncGenerator<FoundObject> {
    const [least = '', ...rest] = from;
    const { folders, objects } = await this.#list(folder, least);
    if (depth === GROUPS) {
      const byName = groupedByName(objects);
      for (const name of this.named(GROUP, folder, byName.keys())) yield* byName.get(name) ?? [];
      return;
    }
    for (const { key } of objects) this.#onMisnamed(key);
    for (const name of this.named(GROUP, folder, folders))
      yield* this.below(`${folder}/${name}`, name === least ? rest : [], depth + 1);
  }

  /** The names of this form, the last first. */
  named(form: RegExp, folder: string, names: Iterable<string>): ReadonlyArray<string> {
    const [ours, others] = [new Array<string>(), new Array<string>()];
    for (const name of names) (form.test(name) ? ours : others).push(name);
    for (const name of others) this.#onMisnamed(`${folder}/${name}`);
    return ours.sort(byNameFromTheLast);
  }
}
