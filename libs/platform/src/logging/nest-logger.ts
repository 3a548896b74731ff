import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

/** Nest's own startup messages, a line per route, are useful to developers only. */
const innerContexts = new Set([
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestFactory',
  'NestApplication',
  'NestMicroservice',
]);

/** Directs the output of Nest, and of every `new Logger('Context')` of an app, to the log of the process. */
export class NestLogger implements LoggerService {
  constructor(private readonly target: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write(innerContexts.has(String(rest.at(-1))) ? 'debug' : 'info', message, rest);
  }
  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }
  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }
  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }
  error(message: unknown, ...rest: unknown[]): void {
    // The application logs one error, that it cannot listen, and throws it too: its caller reports it better.
    this.write(rest.at(-1) === 'NestApplication' ? 'debug' : 'error', message, rest);
  }
  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  /** Nest passes the context last; before it come a stack, an error, or fields. */
  private write(level: Level, message: unknown, rest: readonly unknown[]): void {
    const fields: Record<string, unknown> = {};
    const last = rest.at(-1);
    const context = typeof last === 'string' && !last.includes('\n') ? last : undefined;
    if (context !== undefined) fields.context = context;
    for (const value of context === undefined ? rest : rest.slice(0, -1)) {
      if (value instanceof Error) fields.err = value;
      else if (typeof value === 'string') fields.err = { stack: value };
      else if (typeof value === 'object' && value !== null) Object.assign(fields, value);
    }
    if (message instanceof Error) this.target[level]({ ...fields, err: message }, message.message);
    else if (typeof message === 'object' && message !== null) this.target[level]({ ...fields, ...message });
    else this.target[level](fields, String(message));
  }
}
