"""What Alembic runs: the connection and its transaction belong to the caller."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    # SQLite's schema changes are transactional once we begin the transaction
    transactional_ddl=True,
)
context.run_migrations()
