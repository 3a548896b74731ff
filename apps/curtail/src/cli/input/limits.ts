/** Largest inputs of commands. */
export const inputLimits = {
  /** A file that is read whole: what one text can hold. */
  fileBytes: 500 * 1024 * 1024,
  /** A configuration; the reader refuses more than 4 MiB itself and says so. */
  configurationBytes: 8 * 1024 * 1024,
  /** One line of a batch. */
  lineBytes: 64 * 1024 * 1024,
  /** Levels of a JSON text searched for the places of faults. */
  jsonLevels: 1000,
  /** An answer of a server; the plan of a hundred thousand victims has some 40 MB. */
  answerBytes: 256 * 1024 * 1024,
} as const;
