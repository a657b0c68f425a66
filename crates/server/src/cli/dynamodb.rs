//! `parlor dynamodb`: the one table, made here or by the tools that people make tables with.

use super::text;
use clap::{Arg, ArgMatches, Command};
use parlor_store::dynamodb::{Address, Options, client, table};

const LONG_ABOUT: &str = "\
The table of a server with --store dynamodb://TABLE: made here, or printed for the tools that you make tables with.

The table has the keys pk and sk, is billed on demand, and deletes by itself what is over (attribute ttl). Who may use it is
found as the service's own tools find it: environment, files in ~/.aws, or the machine's role.

Examples:
  parlor dynamodb create-table 'dynamodb://parlor?region=eu-central-1'
  parlor dynamodb create-table 'dynamodb://parlor?endpoint=http://127.0.0.1:8000'
  parlor dynamodb cloudformation parlor > table.yaml
  parlor dynamodb terraform parlor > table.tf
  parlor dynamodb policy arn:aws:dynamodb:eu-central-1:123456789012:table/parlor > policy.json";

pub fn command() -> Command {
    let name = || Arg::new("table").value_name("TABLE").required(true).help("The table's name");
    Command::new("dynamodb")
        .about("Make the table of a DynamoDB store, or print it for CloudFormation or Terraform")
        .long_about(LONG_ABOUT)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("create-table")
                .about("Make the table and switch on that it deletes what is over; what of that is done already is left as it is")
                .arg(Arg::new("store").value_name("STORE").required(true).help("dynamodb://TABLE[?region=…][&endpoint=…]")),
        )
        .subcommand(Command::new("cloudformation").about("Print the table as a CloudFormation template").arg(name()))
        .subcommand(Command::new("terraform").about("Print the table as a Terraform resource").arg(name()))
        .subcommand(
            Command::new("policy")
                .about("Print what a server must be allowed to do with the table, and nothing more, as an IAM policy")
                .arg(Arg::new("arn").value_name("ARN").required(true).help("The table's ARN")),
        )
}

pub async fn run(flags: &ArgMatches) -> Result<(), String> {
    match flags.subcommand() {
        Some(("create-table", flags)) => create(&text(flags, "store")).await,
        Some(("cloudformation", flags)) => print(flags, table::cloudformation),
        Some(("terraform", flags)) => print(flags, table::terraform),
        Some(("policy", flags)) => {
            let arn = text(flags, "arn");
            if !arn.starts_with("arn:") || arn.contains(['"', '\\', '\n']) {
                return Err(format!("{arn:?} is no ARN; it is written arn:aws:dynamodb:REGION:ACCOUNT:table/NAME"));
            }
            print!("{}", table::policy(&arn));
            Ok(())
        }
        Some(_) | None => Err("see `parlor dynamodb --help`".to_owned()),
    }
}

async fn create(store: &str) -> Result<(), String> {
    let address: Address = store.parse()?;
    let client = client(&address, &Options::default()).await;
    let made = table::create_table(&client, &address.table).await.map_err(|error| format!("{address}: {error}"))?;
    let what = if made { "The table is made" } else { "The table was there already, and is as it should be" };
    println!("{what}: parlor serve --store '{address}'");
    Ok(())
}

fn print(flags: &ArgMatches, form: fn(&str) -> String) -> Result<(), String> {
    let name = text(flags, "table");
    // The same names that an address takes.
    let _: Address = format!("dynamodb://{name}").parse()?;
    print!("{}", form(&name));
    Ok(())
}
