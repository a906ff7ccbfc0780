// A process of its own that floods as it is ordered, until it is killed. An attacker has a machine
// of its own: here it gets what the others leave.
import { setPriority } from 'node:os'
import { ATTACKER_PRIORITY } from '../attack-size.ts'
import { type CarrierOrder, carrierFloods } from './carrier-floods.ts'

const REPORT_EVERY_MS = 50

setPriority(ATTACKER_PRIORITY)
const order: CarrierOrder = JSON.parse(process.argv[2] ?? '{}')
const counts = { isUnderWay: false, answers: 0, refused: 0, toldWhen: 0, cut: 0 }
carrierFloods.find(({ name }) => name === order.name)?.begin(order, counts)
setInterval(() => process.send?.(counts), REPORT_EVERY_MS)
