//! The shop's database: one table of products, and nothing of Parlor's.

use crate::catalogue::CATEGORIES;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteRow};
use sqlx::{Error, Row};
use std::path::Path;

pub(crate) struct Stock(SqlitePool);

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Product {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) category: String,
    /// Such as 19.90.
    pub(crate) price: String,
    pub(crate) cents: i64,
    pub(crate) stock: i64,
    pub(crate) description: String,
}

/// `price` is for people and pages; `cents` is what counts.
const TABLE: &str = "CREATE TABLE IF NOT EXISTS inventory (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    category TEXT NOT NULL,
    cents INTEGER NOT NULL CHECK (cents >= 0),
    price TEXT GENERATED ALWAYS AS (printf('%d.%02d', cents / 100, cents % 100)) VIRTUAL,
    stock INTEGER NOT NULL CHECK (stock >= 0),
    description TEXT NOT NULL
)";

impl Stock {
    /// Opens the database, and makes and fills it if it is not there.
    pub(crate) async fn open(path: &Path) -> Result<Stock, Error> {
        let options = SqliteConnectOptions::new().filename(path).create_if_missing(true).journal_mode(SqliteJournalMode::Wal);
        let pool = SqlitePoolOptions::new().max_connections(4).connect_with(options).await?;
        sqlx::query(TABLE).execute(&pool).await?;
        let count: i64 = sqlx::query("SELECT count(*) FROM inventory").fetch_one(&pool).await?.try_get(0)?;
        let stock = Stock(pool);
        if count == 0 {
            stock.fill().await?;
        }
        Ok(stock)
    }

    async fn fill(&self) -> Result<(), Error> {
        let mut all = self.0.begin().await?;
        for (category, _, products) in CATEGORIES {
            for (name, cents, stock, description) in *products {
                sqlx::query("INSERT INTO inventory (name, category, cents, stock, description) VALUES (?1, ?2, ?3, ?4, ?5)")
                    .bind(name)
                    .bind(category)
                    .bind(cents)
                    .bind(stock)
                    .bind(description)
                    .execute(&mut *all)
                    .await?;
            }
        }
        all.commit().await
    }

    pub(crate) async fn all(&self) -> Result<Vec<Product>, Error> {
        let rows = sqlx::query("SELECT * FROM inventory ORDER BY id").fetch_all(&self.0).await?;
        rows.iter().map(product).collect()
    }

    pub(crate) async fn in_category(&self, category: &str) -> Result<Vec<Product>, Error> {
        let query = sqlx::query("SELECT * FROM inventory WHERE category = ?1 ORDER BY name").bind(category);
        query.fetch_all(&self.0).await?.iter().map(product).collect()
    }

    pub(crate) async fn find(&self, id: i64) -> Result<Option<Product>, Error> {
        let query = sqlx::query("SELECT * FROM inventory WHERE id = ?1").bind(id);
        query.fetch_optional(&self.0).await?.as_ref().map(product).transpose()
    }

    /// These products, in this order; those that there are.
    pub(crate) async fn these(&self, ids: &[i64]) -> Result<Vec<Product>, Error> {
        let mut found = Vec::new();
        for id in ids {
            found.extend(self.find(*id).await?);
        }
        Ok(found)
    }

    pub(crate) async fn search(&self, words: &str) -> Result<Vec<Product>, Error> {
        // What is special to LIKE is not special to people.
        let safe = words.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
        let query = "SELECT * FROM inventory WHERE name LIKE ?1 ESCAPE '\\' OR description LIKE ?1 ESCAPE '\\' ORDER BY name";
        sqlx::query(query).bind(format!("%{safe}%")).fetch_all(&self.0).await?.iter().map(product).collect()
    }

    /// Answers whether there is such a product.
    pub(crate) async fn change(&self, id: i64, cents: i64, stock: i64) -> Result<bool, Error> {
        let query = sqlx::query("UPDATE inventory SET cents = ?2, stock = ?3 WHERE id = ?1").bind(id).bind(cents).bind(stock);
        Ok(query.execute(&self.0).await?.rows_affected() == 1)
    }
}

fn product(row: &SqliteRow) -> Result<Product, Error> {
    Ok(Product {
        id: row.try_get("id")?,
        name: row.try_get("name")?,
        category: row.try_get("category")?,
        price: row.try_get("price")?,
        cents: row.try_get("cents")?,
        stock: row.try_get("stock")?,
        description: row.try_get("description")?,
    })
}
