import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where Debian and others put the browser; a test downloads none. */
const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const path = PATHS.find((file) => existsSync(file));

export const hasChromium = (): boolean => path !== undefined;

/** When to give up, ms: long enough for a machine that is busy with other tests. */
const LAUNCHED = 120_000;

/** Starts Chromium without a window. Its sandbox needs more than a container grants. */
export const startChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: path ?? '', args: ['--no-sandbox'], timeout: LAUNCHED });
