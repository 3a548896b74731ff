import { Command, type ErrorOptions } from 'commander';

/** A command whose errors end with the next step, like all others: commander reports what is wrong with a call. */
export class CliCommand extends Command {
  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  override error(message: string, options?: ErrorOptions): never {
    const sentence = options?.code === 'commander.missingArgument' ? this.missingSentence() : message;
    return super.error(`${sentence}\nnext: ${this.nextStep()}`, options);
  }

  /** Commander gives only the name of the argument, and most say little without their description. */
  private missingSentence(): string {
    const missing = this.registeredArguments.find(
      ({ required }, i) => required && this.args[i] === undefined,
    );
    return `error: <${missing?.name()}> is missing: ${missing?.description}`;
  }

  private nextStep(): string {
    const help = `${this.called()} --help`;
    return this.commands.length > 0 ? `see the commands: ${help}` : `see its arguments and options: ${help}`;
  }

  private called(): string {
    return this.parent instanceof CliCommand ? `${this.parent.called()} ${this.name()}` : this.name();
  }
}
