/** What Node is given in front of a program to run a script in the same process first. */
export const beforeProgram = (script: string): ReadonlyArray<string> => [
  '--import',
  `data:text/javascript,${encodeURIComponent(script)}`,
];
