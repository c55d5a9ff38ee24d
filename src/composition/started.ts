/** What has been started, to be stopped in reverse order. */
export class Started {
  readonly #stops: Array<() => Promise<unknown>> = [];
  #isStopping = false;

  get isStopping(): boolean {
    return this.#isStopping;
  }

  add(stop: () => Promise<unknown>): void {
    this.#stops.unshift(stop);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const stop of this.#stops.splice(0)) await stop();
  }
}
