import type { Register } from './command.js';

/**
 * The commands by their names, in the order of the help: first those that need a running Curtail. The module of each is loaded only where a call
 * needs it, since a stop must not wait for the options of all others.
 */
const modules: Readonly<Record<string, () => Promise<Register>>> = {
  start: async () => (await import('./start.js')).start,
  status: async () => (await import('./status.js')).status,
  apply: async () => (await import('./apply.js')).apply,
  'what-if': async () => (await import('./plan.js')).whatIf,
  rollback: async () => (await import('./versions.js')).rollback,
  export: async () => (await import('./versions.js')).exportConfiguration,
  get: async () => (await import('./get.js')).get,
  explain: async () => (await import('./explain.js')).explain,
  report: async () => (await import('./report.js')).report,
  audit: async () => (await import('./access.js')).audit,
  wait: async () => (await import('./status.js')).wait,
  approve: async () => (await import('./operate.js')).approve,
  reject: async () => (await import('./operate.js')).reject,
  cancel: async () => (await import('./operate.js')).cancel,
  enforce: async () => (await import('./operate.js')).enforce,
  answer: async () => (await import('./owners.js')).answer,
  stop: async () => (await import('./operate.js')).stop,
  resume: async () => (await import('./operate.js')).resume,
  freeze: async () => (await import('./freeze.js')).freeze,
  unfreeze: async () => (await import('./freeze.js')).unfreeze,
  mode: async () => (await import('./operate.js')).mode,
  settings: async () => (await import('./settings.js')).settings,
  inventory: async () => (await import('./inventory.js')).inventory,
  'dead-letters': async () => (await import('./dead-letters.js')).deadLetters,
  webhook: async () => (await import('./owners.js')).webhook,
  links: async () => (await import('./owners.js')).links,
  login: async () => (await import('./access.js')).login,
  logout: async () => (await import('./access.js')).logout,
  whoami: async () => (await import('./access.js')).whoami,
  doctor: async () => (await import('./start.js')).doctor,
  replay: async () => (await import('./replay.js')).replay,
  republish: async () => (await import('./replay.js')).republish,
  log: async () => (await import('./log.js')).log,
  verify: async () => (await import('./log.js')).verify,
  simulate: async () => (await import('./simulate.js')).simulate,
  plan: async () => (await import('./plan.js')).plan,
  timeline: async () => (await import('./plan.js')).timeline,
  validate: async () => (await import('./validate.js')).validate,
  diff: async () => (await import('./versions.js')).diff,
  quantity: async () => (await import('./validate.js')).quantity,
  policy: async () => (await import('./access.js')).policy,
  tokens: async () => (await import('./access.js')).tokens,
  completion: async () => (await import('./help.js')).completion,
  config: async () => (await import('./config.js')).config,
  version: async () => (await import('./help.js')).version,
  help: async () => (await import('./help.js')).help,
};

/**
 * The commands that a call names, all of them where its first word is no command, or one that shows others.
 *
 * @param words of the call, without options.
 */
export async function commandsOf(words: readonly string[]): Promise<Register[]> {
  const [first = 'help'] = words;
  const isAlone = Object.hasOwn(modules, first) && first !== 'help';
  const loaded: Register[] = [];
  for (const [name, load] of Object.entries(modules))
    if (!isAlone || words.includes(name)) loaded.push(await load());
  return loaded;
}

/** All commands. */
export const allCommands = () => commandsOf([]);
