import { connect } from "@lancedb/lancedb";

/** Baseline of a start: opens a table, reads the columns of one scope, and exits. */
const [directory = "", table = "", filter = "", ...columns] = process.argv.slice(2);
const connection = await connect(directory);
const rows = await (await connection.openTable(table)).query().where(filter).select(columns).toArrow();
process.stdout.write(`${rows.numRows}\n`);
process.exit(0);
