-- Read models of the cluster: they belong to its log and cannot share a database with those of the single node.
create database cluster;
