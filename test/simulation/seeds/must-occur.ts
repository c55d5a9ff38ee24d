/** What occurs in a run of many seeds, or its lives try less than they should. */
export const MUST_OCCUR: ReadonlyArray<string> = [
  ...['is killed', 'is frozen', 'has its clock set', 'is cut off from the log', 'is cut off from the rows'].map(
    (fault) => `a service ${fault}`,
  ),
  ...['an answer of the log is lost', 'an answer of the rows is lost'],
  ...['POST 200', 'POST 503', 'PUT 200', 'PUT 503', 'GET 200'],
];
