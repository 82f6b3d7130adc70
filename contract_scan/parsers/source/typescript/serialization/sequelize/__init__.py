"""How Sequelize writes classes."""
