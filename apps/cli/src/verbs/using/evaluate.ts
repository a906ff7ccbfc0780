import type { Evaluation } from '@bourse/contract'
import { type BrokerFlags, withBroker, withConnection } from '../../connection/with-broker.ts'
import { type RequestFlags, requestOf, withRequest } from '../../request/request-options.ts'
import { withRequester } from '../../request/requester.ts'
import { CliError, ExitCode } from '../../terminal/cli-error.ts'
import { isForPeople } from '../../terminal/output.ts'
import { type Define, examples } from '../../terminal/verb.ts'
import { evaluationView, refusalBelow } from '../../views/ranking-view.ts'

type Flags = BrokerFlags & RequestFlags

export const define: Define = (command, terminal) => {
  withConnection(withRequest(command))
    .addHelpText(
      'after',
      examples(
        'bourse evaluate --cpu 2 --memory 4Gi',
        'bourse evaluate --gpu 1 --requester rome -o wide',
      ),
    )
    .action((flags: Flags) =>
      withBroker(terminal, flags, async (broker, answer) => {
        const asked = await withRequester(broker, flags, terminal)
        const evaluation = await broker.evaluate(requestOf(asked))
        await answer(evaluation, evaluationView)
        if (evaluation.targetClusterID === '')
          throw new CliError(ExitCode.refused, sentenceOf(evaluation, flags))
      }),
    )
}

function sentenceOf({ rows, summary }: Evaluation, { output }: Flags): string {
  return isForPeople(output) ? refusalBelow(rows, summary) : summary
}
