import { AsyncLocalStorage } from 'node:async_hooks';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/** Of `expect`, which is loaded once for all suites of a worker (shared-packages.mjs), and of the events of the process. */
const kept = [Symbol.for('$$jest-matchers-object'), '_events', '_eventsCount', '_maxListeners'];

/**
 * Suites run in the realm of their worker, as the program does in its process: jest's own environment gives each suite a realm, so
 * that an error of a package or of Node is no `Error` to it. Afterwards the realm is as it was: globals, `process.env`, the handlers of
 * signals, and what was spied on.
 */
export default class OneRealm {
  #globals = descriptorsOf(globalThis);
  #process = descriptorsOf(process);
  #environment = { ...process.env };
  #handlers = signalHandlers();
  #run = AsyncLocalStorage.prototype.run;
  /**
   * The storages that the suite has entered; the runner of each suite creates one. Before Node 24 each promise of the worker would
   * carry the values of all of them, and the last suites would take twice their time.
   */
  #entered = new Set();
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    globalThis.global = globalThis;
    const run = this.#run;
    const entered = this.#entered;
    AsyncLocalStorage.prototype.run = function (...words) {
      entered.add(this);
      return run.apply(this, words);
    };
    Error.stackTraceLimit = 30;
  }

  async setup() {}

  async teardown() {
    AsyncLocalStorage.prototype.run = this.#run;
    for (const storage of this.#entered) storage.disable();
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    restore(globalThis, this.#globals);
    restore(process, this.#process);
    for (const name of Object.keys(process.env)) if (!(name in this.#environment)) delete process.env[name];
    Object.assign(process.env, this.#environment);
    for (const [signal, handler] of signalHandlers()) {
      const known = this.#handlers.some((one) => one[0] === signal && one[1] === handler);
      if (!known) process.removeListener(signal, handler);
    }
  }

  exportConditions() {
    return ['curtail-source', 'node', 'node-addons'];
  }

  getVmContext() {
    return undefined;
  }
}

function descriptorsOf(object) {
  return new Map(Reflect.ownKeys(object).map((key) => [key, Object.getOwnPropertyDescriptor(object, key)]));
}

function restore(object, before) {
  for (const [key, descriptor] of descriptorsOf(object)) {
    if (!descriptor.configurable || kept.includes(key)) continue;
    const old = before.get(key);
    if (old === undefined) delete object[key];
    else if (old.value !== descriptor.value || old.get !== descriptor.get)
      Object.defineProperty(object, key, old);
  }
  for (const [key, old] of before) if (!Object.hasOwn(object, key)) Object.defineProperty(object, key, old);
}

function signalHandlers() {
  return process
    .eventNames()
    .filter((name) => String(name).startsWith('SIG'))
    .flatMap((name) => process.rawListeners(name).map((handler) => [name, handler]));
}
