/** Runs work side by side, so much of it at once. */
export class SideBySide {
  readonly #atOnce: number;
  readonly #running = new Set<Promise<void>>();

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Resolves when the work has begun. */
  async begin(work: () => Promise<void>): Promise<void> {
    if (this.#running.size >= this.#atOnce) await Promise.race(this.#running);
    const running = work().finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }
}
